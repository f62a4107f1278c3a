"""LegalSearch: 13 tasks about the law in force on a day, their published and strict scores, rewards and exports."""
