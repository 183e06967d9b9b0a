import { at } from '../api/base.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { serviceCommand } from '../parts/service-command.ts'

/** Operators alone can add an engine. */
export function NaturalVoice() {
  const line = serviceCommand('models pull kokoro')
  return (
    <>
      <p class="prose">
        The voices so far are robotic. Natural ones run on this machine as well, without a graphics card (132 MB):
      </p>
      <pre>{line}</pre>
      <div class="row">
        <CopyButton text={line} label="Copy the command that gets a natural voice">
          Copy
        </CopyButton>
        <a href={at('/help/voices#neural-voices-without-a-gpu')}>Other engines and models</a>
      </div>
    </>
  )
}
