// Opens a project, or takes one off the list.
"use strict";

{
  const { app } = birdmodes;

  app.chooser(document.getElementById("chooser"), "Use this folder", async (folder) => {
    const workspace = document.getElementById("workspace").value.trim();
    const { project } = await app.post(`${app.root}api/open`, { folder, workspace });
    location.assign(`${app.root}p/${project}/recordings`);
  });

  for (const button of document.querySelectorAll("[data-forget]")) {
    button.addEventListener("click", async () => {
      try {
        await app.post(`${app.root}api/forget`, { project: button.dataset.forget });
        button.closest("li").remove();
      } catch (error) {
        document.getElementById("problem").textContent = error.message;
      }
    });
  }
}
