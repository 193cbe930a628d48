/** What the steps of a deployment share. */
import { relative } from 'node:path'
import { project } from '../development.ts'
import { type Configuration, configurationOf, writeConfiguration } from './configuration.ts'
import { type Noted, noteInSettings, readSettings, type Settings } from './settings.ts'
import { Wrangler } from './wrangler.ts'

/** One deployment: its settings, which may learn ids on the way, and the configuration that follows from them. */
export class Deployment {
  readonly isDryRun: boolean
  readonly wrangler = new Wrangler()
  /** The path of the settings as people know it. */
  readonly file: string
  /** Secrets that this run has set. The platform does not tell them again. */
  readonly secrets: Record<string, string> = {}
  /** Keys of the bucket that this run has probed it with. */
  readonly keys: Record<string, string> = {}
  /** The names of the secrets that the Worker had before this run, once they are known. */
  namesOfSecrets: string[] | undefined
  /** Whether R2 is not to be probed. */
  readonly skipsProbe: boolean
  /** Only a dry run goes on without. What exists is not known then. */
  isLoggedIn = false
  /** Where the service answers, once it is deployed. */
  url: string | undefined
  readonly #path: string
  #settings: Settings
  #written: { path: string; configuration: Configuration } | undefined

  /** @throws Error when the settings can't be used */
  constructor(path: string, { isDryRun, skipsProbe = false }: { isDryRun: boolean; skipsProbe?: boolean }) {
    this.#path = path
    const file = relative(project, path)
    this.file = file.startsWith('..') ? path : file
    this.#settings = readSettings(path)
    this.isDryRun = isDryRun
    this.skipsProbe = skipsProbe
    this.wrangler.account_id = this.#settings.account_id
  }

  get settings(): Settings {
    return this.#settings
  }

  /** The configuration for wrangler, and its path. It is written anew when the settings have changed. */
  written(): { path: string; configuration: Configuration } {
    if (this.#written) return this.#written
    const configuration = configurationOf(this.#settings)
    this.#written = { path: writeConfiguration(this.#settings, configuration), configuration }
    return this.#written
  }

  /** Writes what the platform has given, and what was found out about it, into the file of the settings. */
  note(given: Noted): void {
    this.#settings = noteInSettings(this.#path, given)
    this.wrangler.account_id = this.#settings.account_id
    this.#written = undefined
  }
}
