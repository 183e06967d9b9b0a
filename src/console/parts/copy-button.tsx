import { useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'

const SHOWN_MS = 1600
const REFUSED = 'The browser refused to copy: select the text and copy it yourself.'

interface CopyButtonProps {
  readonly text: string
  /** Names the copied thing: "Copy the job id". */
  readonly label: string
  /** Shown next to the sign. */
  readonly children?: string
}

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const [isDone, setDone] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const onCopy = async (event: CopyEvent): Promise<void> => {
    event.preventDefault()
    event.stopPropagation()
    // A dialog would cover a message elsewhere.
    const isInDialog = event.currentTarget.closest('dialog') !== null
    const isCopied = await copy(text).catch(() => false)
    setRefused(!isCopied && isInDialog)
    if (!isCopied) return isInDialog ? undefined : toast(REFUSED)
    setDone(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <>
      <button
        type="button"
        class={children === undefined ? 'button quiet only-icon small' : 'button'}
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
      {isRefused && (
        <span class="hint bad" role="alert">
          {REFUSED}
        </span>
      )}
    </>
  )
}

type CopyEvent = Event & { readonly currentTarget: HTMLButtonElement }

/** Over plain http browsers give no clipboard: there the old way is left. False, or an error: the browser does not allow it. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text).then(() => true)
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  document.querySelector('dialog[open]')?.append(area)
  if (!area.isConnected) document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return isCopied
}
