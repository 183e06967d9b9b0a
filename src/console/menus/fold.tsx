import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'

interface FoldProps {
  /** So many of them are set. */
  readonly set: number
  readonly children: ComponentChildren
}

/** The filters of a list: behind a button where they do not fit into one row, so that rows are in sight. */
export function Fold({ set, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button fold-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="filter" /> Filters{set > 0 && ` · ${set}`}
      </button>
      <div class={isOpen ? 'fold open' : 'fold'}>{children}</div>
    </>
  )
}
