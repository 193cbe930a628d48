import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select, selectAll, TextField } from '../controls/field.tsx'
import { formatBytes } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote, Progress, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { playerKey } from './player-key.ts'
import { ReasonField, reasonFor } from './reason.tsx'

/** Shows the used storage of a player, and sets their limit. */
export function QuotaOfUser({ user_id }: { user_id: string }) {
  const { studio } = useSession()
  const cache = useQueryClient()
  // Undefined until typed or chosen: the limit that the player has.
  const [typed, setTyped] = useState<Limit>()
  const [reason, setReason] = useState('')
  const queryKey = [...playerKey(user_id), 'quota']
  const quota = useQuery({
    queryKey,
    queryFn: ({ signal }) => studio.quota.get({ user_id }, { signal }),
  })
  const change = useMutation({
    mutationFn: (limit_bytes: number | null) => studio.quota.set({ user_id, limit_bytes }, reasonFor(reason)),
    onSuccess: (changed) => {
      cache.setQueryData(queryKey, changed)
      setTyped(undefined)
      setReason('')
      showNotice(`${user_id} may store ${formatBytes(changed.limit_bytes)}.`)
      return cache.invalidateQueries({ queryKey: playerKey(user_id) })
    },
  })
  if (quota.isPending) return <Waiting rows={1} />
  if (quota.isError) return <ErrorNote error={quota.error} onRetry={() => void quota.refetch()} />
  const { used_bytes, limit_bytes, usage_percent } = quota.data
  const limit = typed ?? fitting(limit_bytes)
  const wanted = bytesOf(limit)
  const canSet = wanted !== undefined && wanted !== limit_bytes
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canSet) change.mutate(wanted)
  }
  return (
    <>
      <p>
        {user_id} uses {formatBytes(used_bytes)} of {formatBytes(limit_bytes)}.
      </p>
      <Progress label={`Storage of ${user_id}`} value={Math.min(usage_percent / 100, 1)} />
      <Form className="line" onSubmit={submit}>
        <TextField
          label="New limit"
          value={limit.amount}
          onChange={(amount) => setTyped({ ...limit, amount })}
          onFocus={selectAll}
          inputMode="decimal"
        />
        <Select
          label="Unit"
          options={units}
          value={limit.unit}
          onChange={(unit) => setTyped({ ...limit, unit })}
        />
        <ReasonField value={reason} onChange={setReason} />
        <Button type="submit" look="primary" isDisabled={!canSet} isPending={change.isPending}>
          Set
        </Button>
        <Button onPress={() => change.mutate(null)} isPending={change.isPending}>
          Use the default
        </Button>
      </Form>
      {change.isError && <ErrorNote error={change.error} />}
    </>
  )
}

const units = { MiB: 'MiB', GiB: 'GiB', TiB: 'TiB' } as const

const sizes = { MiB: 1_048_576, GiB: 1_073_741_824, TiB: 1_099_511_627_776 } as const satisfies Record<
  Unit,
  number
>

type Unit = keyof typeof units

/** A limit as it is typed. */
interface Limit {
  amount: string
  unit: Unit
}

/** A limit in the largest unit in which it is at least 1. */
function fitting(bytes: number): Limit {
  const unit = bytes >= sizes.TiB ? 'TiB' : bytes >= sizes.GiB ? 'GiB' : 'MiB'
  return { amount: String(Math.round((bytes / sizes[unit]) * 1_000) / 1_000), unit }
}

/** The bytes of a limit; undefined for a text that is no number. */
function bytesOf({ amount, unit }: Limit): number | undefined {
  const bytes = Math.round(Number(amount.trim().replace(',', '.')) * sizes[unit])
  return amount.trim() !== '' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined
}
