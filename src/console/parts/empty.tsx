import type { ComponentChildren } from 'preact'

interface EmptyProps {
  readonly title: string
  /** One sentence. */
  readonly children: ComponentChildren
  /** The next step. */
  readonly action?: ComponentChildren
}

/** Nothing here yet, and the next step. */
export const Empty = ({ title, children, action }: EmptyProps) => (
  <div class="empty">
    <svg class="empty-wave" viewBox="0 0 160 48" aria-hidden="true">
      <path d="M4 24h14M26 18v12M36 10v28M46 20v8M56 4v40M66 14v20M76 21v6M86 8v32M96 17v14M106 22v4M116 15v18M126 20v8M136 24h20" />
    </svg>
    <h2>{title}</h2>
    <p>{children}</p>
    {action && <div class="row empty-action">{action}</div>}
  </div>
)
