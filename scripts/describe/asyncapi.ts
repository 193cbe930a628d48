/** Prints the description of the socket (AsyncAPI 3.1), generated from its messages. */
import { socketDescription } from '../../src/describe.ts'

console.log(JSON.stringify(socketDescription(), null, 2))
