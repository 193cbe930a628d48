/** The state that the steps of a deployment share. */
import { relative } from 'node:path'
import { project } from '../development.ts'
import { type Configuration, configurationOf, writeConfiguration } from './configuration.ts'
import { type Noted, noteInSettings, readSettings, type Settings } from './settings.ts'
import { Wrangler } from './wrangler.ts'

/** A deployment: its settings, which steps complete with ids, and the wrangler configuration made from them. */
export class Deployment {
  readonly isDryRun: boolean
  readonly wrangler = new Wrangler()
  /** The path of the settings for messages: relative to the project, if inside it. */
  readonly file: string
  /** The secrets that this run sets with the Worker. The platform never shows them again. */
  readonly secrets: Record<string, string> = {}
  /** The S3 keys that this run has probed the bucket with. */
  readonly keys: Record<string, string> = {}
  /** The names of the secrets that the Worker had before this run; undefined until they are listed. */
  namesOfSecrets: string[] | undefined
  /** `--skip-probe` */
  readonly skipsProbe: boolean
  /** Whether wrangler is logged in. Only a dry run goes on without a login, and then doesn't know what exists. */
  isLoggedIn = false
  /** The URLs of the service, once it is deployed. */
  urls: string[] = []
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

  /** Writes the configuration for wrangler if the settings have changed since. Returns it with its path. */
  written(): { path: string; configuration: Configuration } {
    if (this.#written) return this.#written
    const configuration = configurationOf(this.#settings)
    this.#written = { path: writeConfiguration(this.#settings, configuration), configuration }
    return this.#written
  }

  /** Writes ids and findings into the settings and their file. */
  note(given: Noted): void {
    this.#settings = noteInSettings(this.#path, given)
    this.wrangler.account_id = this.#settings.account_id
    this.#written = undefined
  }
}
