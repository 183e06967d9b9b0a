import { useAddress } from '../parts/use-address.ts'
import { useLetters } from '../shell/use-letters.ts'

/** Has a list followed or not, as its address says; `l` does the same. */
export function PauseButton() {
  const { query, change } = useAddress()
  const isPaused = query.live === 'off'
  const toggle = (): void => change({ live: isPaused ? null : 'off' }, true)
  useLetters({ l: toggle })
  return (
    <button type="button" class="button" aria-pressed={isPaused} onClick={toggle}>
      {isPaused ? 'Resume live' : 'Pause live'}
    </button>
  )
}
