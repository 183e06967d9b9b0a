import { at } from '../api/base.ts'
import { Installation, InstallButton, KokoroCommand, megabytes, useKokoro } from '../playground/kokoro.tsx'

/** Operators alone can add an engine. */
export function NaturalVoice({ onInstalled }: { onInstalled: () => void }) {
  const { model, pull } = useKokoro(onInstalled)
  return (
    <>
      <p class="prose">
        The voices so far are robotic. Natural ones run on this machine as well, without a graphics card
        {model?.sizeBytes != null && `: Kokoro, ${megabytes(model.sizeBytes)} MB`}.
      </p>
      {model?.isPullable === false && <KokoroCommand />}
      {model !== undefined && <Installation model={model} pull={pull} />}
      <div class="row">
        {model?.isPullable && <InstallButton pull={pull} />}
        <a href={at('/help/voices#neural-voices-without-a-gpu')}>Other engines and models</a>
      </div>
    </>
  )
}
