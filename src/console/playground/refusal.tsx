import type { ComponentProps } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { Failure } from '../parts/failure.tsx'
import { count } from '../parts/format.ts'
import { balance } from '../shell/balance.ts'

interface RefusalProps extends Pick<ComponentProps<typeof Failure>, 'fieldOf'> {
  readonly failure: ApiError
  /** Goes to the input that a path lies in. */
  readonly onPath: (path: string) => void
}

/** Why nothing is spoken; where inputs are wrong, it takes the focus and leads to them. */
export function Refusal({ failure, onPath, fieldOf }: RefusalProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (failure.details.length > 0) box.current?.focus()
  }, [failure])
  return (
    <div ref={box} tabIndex={-1}>
      <Failure failure={failure} onPath={onPath} fieldOf={fieldOf} />
      {failure.code === 'PAYMENT_REQUIRED' && !failure.message.includes('monthly limit') && (
        <p class="notice warn">Your account has {count(balance.value)} credits: your operator tops it up.</p>
      )}
    </div>
  )
}
