import type { Refusal } from '../api/refusal.ts'
import { Icon } from './icon.tsx'

interface FailureProps {
  readonly failure: Refusal
  readonly onRetry?: (() => void) | undefined
  /** Older data stand below it. */
  readonly isOld?: boolean
}

/** What went wrong, where it went wrong: the sentence, the code, the request's id, and what to do. */
export const Failure = ({ failure, onRetry, isOld }: FailureProps) => (
  <div class="notice bad" role="alert">
    <Icon name="alert" />
    <div class="notice-body">
      <p>
        {failure.message}
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
    {onRetry !== undefined && (
      <button type="button" class="button" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
)
