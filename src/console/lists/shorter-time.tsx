import type { ApiError } from '../api/api-error.ts'
import { useAddress } from '../parts/use-address.ts'

const SHORT = ['1h', '24h']
const LAST_DAY = { window: '24h', from: null, to: null, after: null, before: null }

/** Where a list is not answered, which may be for its length: a day of it is read in a moment. */
export function ShorterTime({ failure }: { readonly failure: ApiError | null }) {
  const { query, change } = useAddress()
  const isLimited = failure?.code === 'UNAVAILABLE' || failure?.code === 'RATE_LIMITED'
  if (!isLimited || SHORT.includes(query.window ?? '')) return null
  return (
    <p class="notice">
      The list may be too long to be read in time.
      <button type="button" class="button small" onClick={() => change(LAST_DAY)}>
        Choose a shorter time: 24 hours
      </button>
    </p>
  )
}
