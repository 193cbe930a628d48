/** Opens the file dialog of the browser, for a menu, which is gone before its choice is made. */
export function chooseFile(onChosen: (file: File) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.onchange = () => {
    const [file] = input.files ?? []
    if (file) onChosen(file)
  }
  input.click()
}

/** Opens the dialog of the browser in which a folder is chosen, with all files in it. */
export function chooseFolder(onChosen: (files: FileList | null) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.webkitdirectory = true
  input.onchange = () => onChosen(input.files)
  input.click()
}
