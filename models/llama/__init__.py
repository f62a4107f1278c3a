"""Local models: GGUF files run by llama.cpp in a child process, one sequence per episode and seat."""
