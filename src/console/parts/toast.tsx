import { signal } from '@preact/signals'

const SHOWN_MS = 5000
const message = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

/** One sentence about what has just succeeded, or failed out of sight. */
export function toast(text: string): void {
  message.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    message.value = ''
  }, SHOWN_MS)
}

/** The page's one polite status. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {message.value !== '' && <p class="toast">{message}</p>}
  </div>
)
