"""Small figures of the pages, drawn as SVG: axes, activity, places, distributions."""
