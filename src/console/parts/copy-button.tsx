import { useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'

const SHOWN_MS = 1600

interface CopyButtonProps {
  readonly text: string
  /** What is copied: "Copy the job id". */
  readonly label: string
  /** Shown next to the sign. */
  readonly children?: string
}

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const [isDone, setDone] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const onCopy = async (event: Event): Promise<void> => {
    event.preventDefault()
    event.stopPropagation()
    try {
      await copy(text)
    } catch {
      return toast('The browser refused to copy: select the text and copy it yourself.')
    }
    setDone(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setDone(false), SHOWN_MS)
  }
  const kind = children === undefined ? 'button quiet only-icon small' : 'button'
  return (
    <button
      type="button"
      class={kind}
      aria-label={children === undefined ? label : undefined}
      title={label}
      onClick={onCopy}
    >
      <Icon name={isDone ? 'check' : 'copy'} size={14} />
      {children !== undefined && (isDone ? 'Copied' : children)}
      <span class="unseen" aria-live="polite">
        {isDone ? 'Copied' : ''}
      </span>
    </button>
  )
}

/** Over plain http browsers give no clipboard: there the old way is left. @throws where the browser does not allow it */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.querySelector('dialog[open]')?.append(area)
  if (!area.isConnected) document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('not copied')
}
