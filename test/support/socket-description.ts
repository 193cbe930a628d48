import { describeSocket } from '../../src/features/notifications/asyncapi.ts'

/** The description of the socket, without a server: what the sockets of the tests are held to, and what is served. */
export const socketDescription = describeSocket()
