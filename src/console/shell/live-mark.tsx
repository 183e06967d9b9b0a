import { isOffline, liveState } from '../api/follow.ts'

const TEXTS = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' } as const

/** Whether what is on the page follows the service: by a sign and a word. */
export const LiveMark = () => {
  const state = isOffline.value ? 'offline' : liveState.value
  return (
    <span class={`live-mark ${state}`} role="status" aria-label={`Connection: ${TEXTS[state]}`}>
      <i class="dot" aria-hidden="true" />
      <span class="live-word">{TEXTS[state]}</span>
    </span>
  )
}
