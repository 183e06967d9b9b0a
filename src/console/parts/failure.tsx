import type { ApiError } from '../api/api-error.ts'
import { useSecondsLeft } from '../api/use-seconds-left.ts'
import { labelOf } from '../api/words.ts'
import { clockTime } from './format.ts'
import { Icon } from './icon.tsx'
import { OUTAGE, useSaidOnce } from './use-said-once.ts'

interface ReasonProps {
  readonly failure: ApiError
  /** It is asked again by itself once its pause is over. */
  readonly isAskedAgain?: boolean | undefined
}

interface FailureProps extends ReasonProps {
  readonly onRetry?: (() => void) | undefined
  /** Goes to the field that a path names. */
  readonly onPath?: (path: string) => void
  /** The label of the field at a path, and whether that field shows its error itself. */
  readonly fieldOf?: (path: string) => { readonly label: string; readonly saysWhy: boolean } | undefined
  /** When the data below it were asked for, in milliseconds. */
  readonly asOf?: number | undefined
}

/** Shows a failure in its place: the sentence, the code, the request's id and the next step. */
export function Failure({ failure, onRetry, onPath, fieldOf, asOf, isAskedAgain }: FailureProps) {
  const isSaid = useSaidOnce(failure.code === 'OFFLINE' ? OUTAGE : failure.message)
  return (
    <div class="notice bad" role={isSaid ? 'alert' : undefined}>
      <Icon name="alert" />
      <div class="notice-body">
        <p>
          <Reason failure={failure} isAskedAgain={isAskedAgain} />
          {asOf !== undefined && ` The data below is as of ${clockTime(new Date(asOf).toISOString())}.`}
        </p>
        {failure.details.length > 0 && (
          <ul>
            {failure.details.map(({ path, message }) => (
              <li key={path}>
                <Path path={path} label={fieldOf?.(path)?.label ?? labelOf(path)} onPath={onPath} />{' '}
                {!fieldOf?.(path)?.saysWhy && message}
              </li>
            ))}
          </ul>
        )}
        <p class="faint small-text">
          {failure.code}
          {failure.requestId !== undefined && ` · request ${failure.requestId}`}
        </p>
      </div>
      {onRetry !== undefined && !(isAskedAgain && failure.retryAt !== null) && (
        <RetryButton until={failure.retryAt} onRetry={onRetry} />
      )}
    </div>
  )
}

interface PathProps extends Pick<FailureProps, 'onPath'> {
  readonly path: string
  readonly label: string
}

const Path = ({ path, label, onPath }: PathProps) =>
  onPath === undefined ? (
    <strong>{label}:</strong>
  ) : (
    <button type="button" class="button small" onClick={() => onPath(path)}>
      {label}
    </button>
  )

const RetryButton = ({ until, onRetry }: { readonly until: number | null; readonly onRetry: () => void }) => (
  <button type="button" class="button" aria-disabled={useSecondsLeft(until) > 0} onClick={onRetry}>
    Try again
  </button>
)

/** Why something was refused. Seconds that are left until it may be tried again are not read out one by one. */
export function Reason({ failure, isAskedAgain = false }: ReasonProps) {
  const until = isAskedAgain ? failure.againAt : failure.retryAt
  const seconds = useSecondsLeft(until)
  if (until === null) return <>{failure.message}</>
  return (
    <>
      {failure.message} {isAskedAgain ? 'Trying again' : 'Try again'}{' '}
      <span aria-live="off">{seconds > 0 ? `in ${seconds} s.` : 'now.'}</span>
    </>
  )
}
