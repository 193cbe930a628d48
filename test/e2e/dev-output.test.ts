import { describe, expect, it } from 'vitest'
import { OutputFilter } from '../../scripts/dev/output.ts'

describe('the output of wrangler', () => {
  const shown = (...lines: string[]) => new OutputFilter().push(`${lines.join('\n')}\n`)
  const processing = '▲ [WARNING] Processing wrangler.toml configuration:'
  const experimental = '    - "local_dev.experimental_s3_credentials" fields are experimental and may change.'

  it('is held back where it says nothing', () => {
    expect(shown(processing, '', experimental, '', '', 'Using secrets defined in .dev.vars')).toEqual([])
    expect(
      shown(
        'Your Worker has access to the following bindings:',
        'Binding                 Resource        Mode',
        'env.DB (games)          D1 Database     local',
        '',
      ),
    ).toEqual([])
  })

  it('is shown where it says something else in the same warning', () => {
    const other = '    - Unexpected fields found in top-level field: "asset"'
    expect(shown(processing, '', experimental, other, '')).toEqual([processing, '', other, ''])
    expect(shown(processing, '', other)).toEqual([processing, '', other])
  })

  it('is shown when it is an error, an exception, a line of the Worker, or not known', () => {
    for (const line of [
      '✘ [ERROR] Could not resolve "./gone.ts"',
      '    src/app.ts:3:19:',
      '[wrangler:error] TypeError: x is not a function',
      '▲ [WARNING] something new',
      '{"message":"the job ran"}',
      '[custom build] Error: no such file',
    ])
      expect(shown(line)).toEqual([line])
  })

  it('is a sentence where the job ran', () => {
    const log = { message: 'the job ran', database: 'DB', size_bytes: 9, queries: 61, calls: 4, ms: 240 }
    expect(
      shown(
        JSON.stringify({ ...log, uploads_expired: 2, objects_removed: 1 }),
        JSON.stringify({ ...log, database: 'DB_1', failed: ['bucket_paired'] }),
      ),
    ).toEqual([
      'The job ran for 0.2 s: 2 expired uploads removed, 1 stored content removed. Nothing waits.',
      'The job of DB_1 ran for 0.2 s: nothing done. A part failed and waits for the next run (bucket_paired).',
    ])
  })

  it('loses its prefix where it is a request, and waits for the end of a line', () => {
    const filter = new OutputFilter()
    expect(filter.push('[wrangler:info] GET /v1/fi')).toEqual([])
    expect(filter.push('les 200 OK (3ms)\n[wrangler:info] GET /health 200 OK (1ms)\nlast')).toEqual([
      'GET /v1/files 200 OK (3ms)',
    ])
    expect(filter.end()).toEqual(['last'])
  })
})
