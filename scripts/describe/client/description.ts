import { describe } from '../../../src/describe.ts'
import { Description } from '../description.ts'

/** The API description, from which the client's sources are made. */
export const description = new Description(JSON.parse(JSON.stringify(await describe())))
