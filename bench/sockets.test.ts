import { it } from 'vitest'
import { notifyEach } from '../test/support/crowd.ts'

const USERS = 2_000

it(`tells each of ${USERS} users on ${USERS} sockets their own event, out of hibernation`, async () => {
  const { opened, evicted, heard } = await notifyEach(USERS)
  console.info(
    `${USERS} sockets opened in ${opened} ms, their objects evicted in ${evicted} ms, one event for each published and heard in ${heard} ms`,
  )
})
