import { useState } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { jobTags } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { SuggestionForm } from './suggestion-form.tsx'

const WINDOW_MS = 30 * 86_400_000
const MOST = 50

/** Chooses a tag: those of the last 30 days are suggested, the most frequent first. They are asked for once somebody wants one. */
export function TagField() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.tag ?? '')
  const [from, setFrom] = useState<string | null>(null)
  const { data } = useQuery(jobTags, from === null ? null : { filter: { createdAt: { from } } })
  const groups = data?.jobStats.toSorted((a, b) => b.jobs - a.jobs).slice(0, MOST) ?? []
  return (
    <SuggestionForm
      label="Tag"
      placeholder="Tag"
      value={text}
      onText={setText}
      onFocus={() => setFrom((before) => before ?? new Date(timeNow() - WINDOW_MS).toISOString())}
      suggestions={groups.flatMap(({ tag }) => tag ?? [])}
      onChoose={(tag) => change({ tag: tag.trim(), after: null, before: null })}
    />
  )
}
