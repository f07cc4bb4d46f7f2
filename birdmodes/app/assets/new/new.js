// Opens what was made of new recordings as a project of its own.
"use strict";

{
  const { app } = birdmodes;

  for (const button of document.querySelectorAll("[data-open]")) {
    button.addEventListener("click", async () => {
      try {
        const { project } = await app.post(`${app.root}api/open`, { folder: button.dataset.open });
        location.assign(`${app.root}p/${project}/gallery`);
      } catch (error) {
        document.getElementById("problem").textContent = error.message;
      }
    });
  }
}
