import { isOffline, liveState } from '../api/follow.ts'

const TEXTS = {
  paused: 'Paused',
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
} as const

/**
 * Shows by a sign and a word if the page follows the service.
 * @param isPaused the reader has paused it: few screens offer that
 */
export const LiveMark = ({ isPaused }: { readonly isPaused: boolean }) => {
  const connection = isOffline.value ? 'offline' : liveState.value
  const state = isPaused && connection === 'live' ? 'paused' : connection
  return (
    <span class={`live-mark ${state}`} role="status" aria-label={`Connection: ${TEXTS[state]}`}>
      <i class="dot" aria-hidden="true" />
      <span class="live-word">{TEXTS[state]}</span>
    </span>
  )
}
