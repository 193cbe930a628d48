import { type Configuration, configuration } from '../../src/platform/config/configuration.ts'

/** The configuration of an environment, or its problems. Takes any object, because `Env` excludes missing and invalid variables. */
export function configurationOf(environment: object): Configuration {
  return configuration(Object.assign(Object.create(null), environment))
}
