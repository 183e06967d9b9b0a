import { useEffect } from 'preact/hooks'
import { comebacks } from '../../api/follow.ts'
import { toast } from '../../parts/toast.tsx'
import type { Editor } from './editor.ts'

const EVERY_MS = 30_000

/** Looks for what others have saved: every half minute in a page that is seen, when its window gets the focus, and when the service is back. */
export function useColleagues(editor: Editor): void {
  useEffect(() => {
    const look = async (): Promise<void> => {
      // A dialog has read the text that is open, and is going to change that.
      if (document.hidden || document.querySelector('dialog[open]') !== null) return
      const name = await editor.look().catch(() => null)
      if (name !== null) toast(`${name} saved this project: this is their text.`)
    }
    const onLook = (): void => void look()
    const timer = setInterval(onLook, EVERY_MS)
    addEventListener('focus', onLook)
    const stop = comebacks.subscribe(onLook)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', onLook)
      stop()
    }
  }, [editor])
}
