import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { formatBytes } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote, Progress, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { playerKey } from './player-key.ts'

/** Shows the used storage of a player, and sets their limit. */
export function QuotaOfUser({ user_id }: { user_id: string }) {
  const { studio } = useSession()
  const cache = useQueryClient()
  const [limit, setLimit] = useState('')
  const queryKey = [...playerKey(user_id), 'quota']
  const quota = useQuery({
    queryKey,
    queryFn: ({ signal }) => studio.quota.get({ user_id }, { signal }),
  })
  const change = useMutation({
    mutationFn: (limit_bytes: number | null) => studio.quota.set({ user_id, limit_bytes }),
    onSuccess: (changed) => {
      cache.setQueryData(queryKey, changed)
      setLimit('')
      showNotice(`${user_id} may store ${formatBytes(changed.limit_bytes)}.`)
      return cache.invalidateQueries({ queryKey: playerKey(user_id) })
    },
  })
  if (quota.isPending) return <Waiting rows={1} />
  if (quota.isError) return <ErrorNote error={quota.error} onRetry={() => void quota.refetch()} />
  const { used_bytes, limit_bytes, usage_percent } = quota.data
  const mebibytes = Number(limit)
  const isNumber = limit !== '' && Number.isInteger(mebibytes) && mebibytes >= 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNumber) change.mutate(mebibytes * MEBIBYTE)
  }
  return (
    <>
      <p>
        {user_id} uses {formatBytes(used_bytes)} of {formatBytes(limit_bytes)}.
      </p>
      <Progress label={`Storage of ${user_id}`} value={Math.min(usage_percent / 100, 1)} />
      <Form className="line" onSubmit={submit}>
        <TextField label="New limit, in MiB" value={limit} onChange={setLimit} inputMode="numeric" />
        <Button type="submit" look="primary" isDisabled={!isNumber} isPending={change.isPending}>
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

const MEBIBYTE = 1_048_576
