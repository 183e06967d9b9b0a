import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { session } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { sendTest } from '../operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { quoted, serviceCommand } from '../parts/service-command.ts'
import { toast } from '../parts/toast.tsx'

/** The listener that is built in receives a test, without a server of the user's own. */
export function FirstDelivery() {
  const line = serviceCommand(`webhooks listen --account ${quoted(session.value?.accountName ?? '')}`)
  const send = useAction(async () => {
    await ask(sendTest, {})
    toast('A test is on its way to the listener.')
  })
  return (
    <>
      <p class="prose">
        A webhook tells your server that a job has ended. Run this where Sonant runs, let it listen, and send it a test:
      </p>
      <pre>{line}</pre>
      {send.failure !== null && <Failure failure={send.failure} />}
      <div class="row">
        <CopyButton text={line} label="Copy the command of the listener">
          Copy
        </CopyButton>
        <button type="button" class="button" aria-disabled={send.isOff} onClick={() => void send.run()}>
          Send a test
        </button>
        <a href={at('/webhooks')}>Webhooks</a>
      </div>
    </>
  )
}
