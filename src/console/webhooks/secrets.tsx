import { useState } from 'preact/hooks'
import { asApiError, isUncertain } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { timeNow } from '../api/clock.ts'
import { rotateSecret, type WebhookSettingsQuery } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { exactTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { StopSecret } from './stop-secret.tsx'

/** So long the service signs with a secret after its rotation. */
const OLD_SIGNS_MS = 86_400_000

type Secret = WebhookSettingsQuery['webhook']['secrets'][number]

interface SecretsProps {
  readonly secrets: readonly Secret[]
  /** The last delivery could not be signed with them. */
  readonly isUnreadable: boolean
  /** They are those of now: none are being loaded, nor could not be. */
  readonly isCurrent: boolean
  /** A secret was made or stopped, or may have been. */
  readonly onChange: () => void
}

/** A rotation that may have come through: its answer was lost. */
interface Doubt {
  /** When the secret was made that signed at that time. */
  readonly madeAt: string | undefined
}

/** Rotates at a press, and knows what came of it, or that this is not known. */
function useRotation(secrets: readonly Secret[], onChange: () => void) {
  const [isRotating, setRotating] = useState(false)
  const [doubt, setDoubt] = useState<Doubt | null>(null)
  const [fresh, setFresh] = useState<string | null>(null)
  const rotate = async (): Promise<void> => {
    setRotating(true)
    try {
      const { rotateWebhookSecret } = await ask(rotateSecret, {})
      setFresh(rotateWebhookSecret.secret)
      setDoubt(null)
      onChange()
    } catch (error) {
      if (isUncertain(asApiError(error))) {
        setDoubt({ madeAt: signingOf(secrets)?.createdAt })
        onChange()
      }
      throw error
    } finally {
      setRotating(false)
    }
  }
  return { isRotating, doubt, fresh, forget: () => setFresh(null), rotate }
}

/** Lists the signing secrets: the newest one, and for a day the one before. */
export function Secrets({ secrets, isUnreadable, isCurrent, onChange }: SecretsProps) {
  const [isAsking, setAsking] = useState(false)
  const { isRotating, doubt, fresh, forget, rotate } = useRotation(secrets, onChange)
  return (
    <section class="card">
      <div class="card-head">
        <h2>Signing secrets</h2>
        <button type="button" class="button small" onClick={() => setAsking(true)}>
          <Icon name="reload" size={14} /> Rotate
        </button>
      </div>
      {isUnreadable && (
        <p class="notice bad">
          The service cannot decrypt them, so nothing is delivered. Ask your operator to set OLD_SECRET_KEY and run
          sonant secrets rekey, or rotate.
        </p>
      )}
      <SecretList secrets={secrets} onStopped={doubt === null ? onChange : null} />
      {isAsking && (
        <RotateDialog
          {...{ secrets, doubt }}
          isCurrent={isCurrent && !isRotating}
          onConfirm={rotate}
          onClose={() => setAsking(false)}
        />
      )}
      {fresh !== null && (
        <ShownOnce title="The new signing secret" name="signing secret" value={fresh} onClose={forget}>
          Store it where your receiver reads it. It cannot be shown again.
        </ShownOnce>
      )}
    </section>
  )
}

interface Stoppable {
  /** Null: it may be the one that receivers use. */
  readonly onStopped: (() => void) | null
}

const SecretList = ({ secrets, onStopped }: Stoppable & { readonly secrets: readonly Secret[] }) => (
  <div class="card-body stack">
    <p class="muted">
      Your receiver verifies each delivery with the secret. A secret is shown once, when it is made: rotate to get a new
      one.
    </p>
    <ul class="stack">
      {secrets.map((secret) => (
        <SecretLine key={secret.id} secret={secret} onStopped={onStopped} />
      ))}
    </ul>
  </div>
)

interface SecretLineProps extends Stoppable {
  readonly secret: Secret
}

const SecretLine = ({ secret: { id, createdAt, expiresAt }, onStopped }: SecretLineProps) => (
  <li class="row spread">
    <span>
      Made <Moment at={createdAt} />
    </span>
    {expiresAt ? (
      <span class="row">
        <span class="pill warn" title={expiresAt}>
          signs until {exactTime(expiresAt)}
        </span>
        {onStopped !== null && <StopSecret id={id} onStopped={onStopped} />}
      </span>
    ) : (
      <StateMark state="READY" label="signs now" />
    )}
  </li>
)

const signingOf = (secrets: readonly Secret[]): Secret | undefined => secrets.find(({ expiresAt }) => !expiresAt)
const oldOf = (secrets: readonly Secret[]): Secret | undefined => secrets.find(({ expiresAt }) => expiresAt)

interface RotateDialogProps {
  readonly secrets: readonly Secret[]
  readonly isCurrent: boolean
  readonly doubt: Doubt | null
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** The next rotation erases the secret before the present one: after one whose answer was lost, that is the one that receivers use. */
function RotateDialog({ secrets, isCurrent, doubt, onConfirm, onClose }: RotateDialogProps) {
  const [seen, setSeen] = useState<Doubt | null>(null)
  const isSeen = seen === doubt
  const old = oldOf(secrets)
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      action="Rotate"
      isOff={!isCurrent || !isSeen}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>A new secret is shown once. The present one signs until {signsUntil()}, so receivers have time to change.</p>
      <p>One more rotation before then stops it at once.</p>
      {old && <p>The one before it, which would sign until {exactTime(old.expiresAt ?? '')}, stops at once.</p>}
      {doubt && (
        <div class="notice warn">
          <div class="notice-body">
            <p>The answer to the last rotation was lost.</p>
            <p>{isCurrent ? outcomeOf(doubt, secrets) : 'Its outcome is being loaded.'}</p>
            <label class="check">
              <input
                type="checkbox"
                aria-disabled={!isCurrent}
                checked={isSeen}
                onChange={() => setSeen(isSeen ? null : doubt)}
              />
              I have read what it did
            </label>
          </div>
        </div>
      )}
    </ConfirmDialog>
  )
}

/** The end of a secret that a rotation now would replace. */
const signsUntil = (): string => exactTime(new Date(timeNow() + OLD_SIGNS_MS).toISOString())

function outcomeOf({ madeAt }: Doubt, secrets: readonly Secret[]): string {
  const [signing, old] = [signingOf(secrets), oldOf(secrets)]
  if (signing === undefined || signing.createdAt === madeAt) return 'It has changed nothing so far.'
  const made = `It made a secret on ${exactTime(signing.createdAt)}, which was shown to nobody.`
  return old?.createdAt === madeAt
    ? `${made} Your receivers use the one before it: that one stops at once when you rotate again.`
    : made
}
