"""What builds the site: formulas, pages made of declarations and results, commands that are run."""
