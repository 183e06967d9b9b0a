import { Icon, PlayGlyph } from '../../parts/icon.tsx'
import { allParagraphs } from '../model/project.ts'
import { useStudio } from './context.ts'

/** At the foot of the page while something is heard. */
export function HearingBar() {
  const { editor, hearing } = useStudio()
  const key = hearing.key.value
  if (key === null) return null
  const order = hearing.heard.value
  const at = order.findIndex((one) => one.key === key)
  const text = allParagraphs(editor.project.value).find((one) => one.key === key)?.text ?? ''
  const isPlaying = hearing.isPlaying.value
  return (
    <section class="hearing-bar" aria-label="Heard now">
      <SignButton name="Paragraph before" icon="left" isOff={at <= 0} onClick={() => hearing.step(-1)} />
      <button
        type="button"
        class="play"
        aria-label={isPlaying ? 'Pause' : 'Go on'}
        title="Space"
        onClick={() => hearing.toggle()}
      >
        <PlayGlyph isPlaying={isPlaying} />
      </button>
      <SignButton name="Next paragraph" icon="right" isOff={at >= order.length - 1} onClick={() => hearing.step(1)} />
      <p class="clip grow" dir="auto">
        {text}
      </p>
      <span class="faint small-text figure">
        {at + 1} / {order.length}
      </span>
      <SignButton name="Stop" icon="close" onClick={() => hearing.stop()} />
    </section>
  )
}

interface SignButtonProps {
  readonly name: string
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly isOff?: boolean
  readonly onClick: () => void
}

const SignButton = ({ name, icon, isOff, onClick }: SignButtonProps) => (
  <button type="button" class="button quiet only-icon" aria-label={name} aria-disabled={isOff} onClick={onClick}>
    <Icon name={icon} />
  </button>
)
