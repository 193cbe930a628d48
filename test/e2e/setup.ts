import { developmentVariables } from '../../scripts/development.ts'

/** Makes `.dev.vars` before the files start their servers at the same time, each of which would make its own. */
export default function setup(): void {
  developmentVariables()
}
