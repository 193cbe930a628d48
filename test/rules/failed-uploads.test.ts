import { describe, expect, it } from 'vitest'
import { markFailed } from '../../src/features/uploads/transitions.ts'
import { contextOf } from '../support/context.ts'
import { configWithEvents, EventLog, serviceWithEvents } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'
import { operator, signUp } from '../support/user.ts'

describe('upload.failed', () => {
  it('is written once when its user is erased, whichever other request has tried to end the upload', async () => {
    const { service } = serviceWithEvents()
    const config = configWithEvents()
    const ada = await signUp('ada', service)
    const log = new EventLog(ada)
    const upload = await ada.upload({ size_bytes: 3 })
    const work = contextOf(ada.id, {}, config)
    await markFailed(work, upload.id, 'UPLOAD_REJECTED', 'It waits for no verdict.', 'failed')
    expect(await log.next()).toEqual([])
    const eraser = (await operator('users:erase')).through(service)
    // The request removes no more than it may; the job has the rest.
    await eraser.request('DELETE', `/users/${ada.id}`)
    await expect(markFailed(work, upload.id, 'UPLOAD_MISMATCH', 'It is gone.')).rejects.toThrow()
    for (const days of [0.1, 0.2]) await runJobIn(days, config)
    const failures = (await log.next()).filter(([type]) => type === 'upload.failed')
    expect(failures).toEqual([
      [
        'upload.failed',
        {
          upload_id: upload.id,
          owner_id: ada.id,
          upload_type: upload.upload_type,
          size_bytes: upload.size_bytes,
          file_id: upload.file?.id ?? null,
          asset_id: null,
          reason: 'target_gone',
        },
      ],
    ])
  })
})
