import type { ApiError } from '../api/api-error.ts'
import { useSecondsLeft } from '../api/use-seconds-left.ts'
import { Icon } from './icon.tsx'

interface ReasonProps {
  readonly failure: ApiError
  /** It is asked again by itself once its pause is over. */
  readonly isAskedAgain?: boolean | undefined
}

interface FailureProps extends ReasonProps {
  readonly onRetry?: (() => void) | undefined
  /** Older data stand below it. */
  readonly isOld?: boolean
}

/** What went wrong, where it went wrong: the sentence, the code, the request's id, and what to do. */
export const Failure = ({ failure, onRetry, isOld, isAskedAgain }: FailureProps) => (
  <div class="notice bad" role="alert">
    <Icon name="alert" />
    <div class="notice-body">
      <p>
        <Reason failure={failure} isAskedAgain={isAskedAgain} />
        {isOld && ' The data below is older.'}
      </p>
      {failure.details.length > 0 && (
        <ul>
          {failure.details.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
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

const RetryButton = ({ until, onRetry }: { readonly until: number | null; readonly onRetry: () => void }) => (
  <button type="button" class="button" disabled={useSecondsLeft(until) > 0} onClick={onRetry}>
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
