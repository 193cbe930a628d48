import type { Config } from '../../platform/config/variables.ts'
import type { QuotaRow } from './row.ts'
import type { Quota } from './schema.ts'

/** A quota as the API shows it (docs/conformance.md#2-records). `row` is undefined for a user who has stored nothing yet. */
export function quotaRecord(row: QuotaRow | undefined, config: Config): Quota {
  const used_bytes = row?.used_bytes ?? 0
  const limit_bytes = row?.limit_bytes ?? config.DEFAULT_QUOTA_BYTES
  return {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  }
}
