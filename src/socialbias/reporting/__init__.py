"""From values to tables, figures, comparisons with print, and the page."""
