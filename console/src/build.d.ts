/** Names the build that a file of the console is of. Vite writes it into each file. */
declare const BUILD: string
