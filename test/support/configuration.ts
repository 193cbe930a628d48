import { type Configuration, configuration } from '../../src/platform/config/configuration.ts'

/** The configuration that an environment is, or its problems. `Env` has no place for variables that are missing or wrong. */
export function configurationOf(environment: object): Configuration {
  return configuration(Object.assign(Object.create(null), environment))
}
