import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { rotateSecret, type WebhookSettingsQuery } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { exactTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { StateMark } from '../parts/state-mark.tsx'

type Secret = WebhookSettingsQuery['webhook']['secrets'][number]

interface SecretsProps {
  readonly secrets: readonly Secret[]
  readonly onRotated: () => void
}

/** What signs deliveries: the newest secret, and the one before it for a day more. */
export function Secrets({ secrets, onRotated }: SecretsProps) {
  const [isAsking, setAsking] = useState(false)
  const [fresh, setFresh] = useState<string | null>(null)
  const rotate = async (): Promise<void> => {
    const { rotateWebhookSecret } = await ask(rotateSecret, {})
    setFresh(rotateWebhookSecret.secret)
    onRotated()
  }
  return (
    <section class="card">
      <div class="card-head">
        <h2>Signing secrets</h2>
        <button type="button" class="button small" onClick={() => setAsking(true)}>
          <Icon name="reload" size={14} /> Rotate
        </button>
      </div>
      <ul class="card-body stack">
        {secrets.map((secret) => (
          <SecretLine key={secret.createdAt} secret={secret} />
        ))}
      </ul>
      {isAsking && <RotateDialog secrets={secrets} onConfirm={rotate} onClose={() => setAsking(false)} />}
      {fresh !== null && (
        <ShownOnce title="The new signing secret" name="signing secret" value={fresh} onClose={() => setFresh(null)}>
          Store it where your receiver reads it. It cannot be shown again.
        </ShownOnce>
      )}
    </section>
  )
}

const SecretLine = ({ secret: { createdAt, expiresAt } }: { secret: Secret }) => (
  <li class="row spread">
    <span>
      Made <Moment at={createdAt} />
    </span>
    {expiresAt ? (
      <span class="pill warn" title={expiresAt}>
        signs until {exactTime(expiresAt)}
      </span>
    ) : (
      <StateMark state="READY" label="signs now" />
    )}
  </li>
)

interface RotateDialogProps {
  readonly secrets: readonly Secret[]
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

function RotateDialog({ secrets, onConfirm, onClose }: RotateDialogProps) {
  const old = secrets.find(({ expiresAt }) => expiresAt)
  return (
    <ConfirmDialog title="Rotate the signing secret?" action="Rotate" onConfirm={onConfirm} onClose={onClose}>
      <p>A new secret is shown once. The present one signs for 24 hours more, so receivers have time to change.</p>
      {old && <p>The one before it, which would sign until {exactTime(old.expiresAt ?? '')}, stops at once.</p>}
    </ConfirmDialog>
  )
}
