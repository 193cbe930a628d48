import { describe, expect, it } from 'vitest'
import { foreignMetadata } from '../../src/features/uploads/inspect.ts'
import { signedMetadata } from '../../src/features/uploads/signed-headers.ts'

describe('what was not signed', () => {
  it.for([
    ['of another storage class', { storageClass: 'InfrequentAccess' }, 'The storage class'],
    ['with a key of the client’s', { ssecKeyMd5: '1B2M2Y8AsgTpgAmY7PhCfg==' }, 'Encryption'],
    ['as R2 tells it of every object', { storageClass: 'Standard' }, undefined],
    ['as the simulator tells it', { storageClass: '', ssecKeyMd5: undefined }, undefined],
  ] as const)('that R2 alone tells: an object %s', ([, told, failure]) => {
    const { httpMetadata, customMetadata } = signedMetadata('id', 'text/plain')
    const found = foreignMetadata(
      { httpMetadata, customMetadata, ...told },
      { id: 'id', mime_type: 'text/plain' },
    )
    if (failure) expect(found).toMatch(failure)
    else expect(found).toBeUndefined()
  })
})
