import { userOf } from '../../claims.ts'
import type { Transport } from '../../transport.ts'
import { type SavesService, savesService } from '../service.ts'
import { Entries, type SaveStore } from './store.ts'

/** The saves of one user on this device, and the requests of that user. */
export interface Device {
  entries: Entries
  service: SavesService
}

/**
 * Opens a store for one user of one service. The keys name both, and no request goes out with a token of somebody else, so that
 * two players of one device never get each other's saves.
 *
 * @throws Error when no user is given and the token has none
 */
export async function openDevice(
  transport: Transport,
  store: SaveStore,
  user: string | undefined,
): Promise<Device> {
  const owner = user ?? userOf(await transport.token())
  if (owner === undefined) throw new Error('The token names no user: give the option user.')
  const prefix = ['saves', '1', transport.baseUrl, owner].map(encodeURIComponent).join('/')
  return { entries: new Entries(store, prefix), service: savesService(transport.ofUser(owner)) }
}
