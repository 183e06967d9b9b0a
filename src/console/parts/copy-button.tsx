import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

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
  const onCopy = async (event: Event): Promise<void> => {
    event.preventDefault()
    event.stopPropagation()
    await copy(text)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
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

/** Over plain http browsers give no clipboard: there the old way is left. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.querySelector('dialog[open]')?.append(area)
  if (!area.isConnected) document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
