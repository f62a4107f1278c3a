"""The six environments of the published benchmark, each an `Environment`; what two of them share stands beside
them."""
