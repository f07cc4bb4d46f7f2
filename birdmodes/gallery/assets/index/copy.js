// Copies the commands that make a run again.
"use strict";

{
  const button = document.getElementById("copy");
  const commands = document.getElementById("commands");
  const copied = document.getElementById("copied");

  async function copy() {
    try {
      await navigator.clipboard.writeText(`${commands.textContent.trim()}\n`);
      copied.textContent = "Copied.";
    } catch {
      // Not every browser lets pages copy: the text is chosen, so that the keyboard can do it.
      getSelection().selectAllChildren(commands);
      copied.textContent = "Selected: copy it with Ctrl+C or ⌘C.";
    }
  }

  button.addEventListener("click", copy);
  button.hidden = false;
}
