"""Labels given by people: drawing contexts, handing them out, reading them back."""
