import type { ComponentChildren } from 'preact'

interface StepProps {
  readonly title: string
  readonly isDone: boolean
  /** A step that was done before this visit shows its title alone. */
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

export const Step = ({ title, isDone, isOpen, children }: StepProps) => (
  <li class={isDone ? 'done' : undefined}>
    <h3>
      {title}
      {isDone && <span class="unseen"> (done)</span>}
    </h3>
    {isOpen && children}
  </li>
)
