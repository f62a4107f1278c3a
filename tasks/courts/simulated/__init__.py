"""Whether those who are simulated around the tested seat answer what they are asked; only then does a run count."""
