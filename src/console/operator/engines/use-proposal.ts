import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { type Action, useAction } from '../../api/use-action.ts'
import { type ProposeEngineMutation, proposeEngine } from '../../operations.ts'

export type Found = Extract<ProposeEngineMutation['proposeEngine'], { __typename: 'EngineProposal' }>

/** The choices of the operator over what was found. */
interface Choice {
  readonly name: string
  readonly model: string
  /** Engine voices; null: all that the server lists. */
  readonly voices: readonly string[] | null
}

interface Entered {
  readonly address: string
  /** It lives in this page alone. */
  readonly apiKey: string
}

export interface Proposal extends Entered {
  readonly found: Found | null
  readonly choice: Choice
  readonly look: Action<void>
  readonly enter: (change: Partial<Entered>) => void
  readonly choose: (change: Partial<Choice>) => void
  /** Asks the server again for the models and voices of a choice. */
  readonly chooseModel: Action<string>
  /** The endpoint file of the choices as they are now. */
  readonly write: () => Promise<Found & { readonly source: string }>
}

const NO_CHOICE: Choice = { name: '', model: '', voices: null }

/** Asks for a file with these choices. */
async function propose({ address, apiKey }: Entered, { model, name, voices }: Choice): Promise<Found> {
  const asked = {
    ...{ address: address.trim(), apiKey: apiKey.trim() || null },
    ...{ model: model.trim() || null, name: name.trim() || null, voices: voices && [...voices] },
  }
  return (await ask(proposeEngine, asked)).proposeEngine
}

/** Keeps the entries about a server and the proposal that the service made from them. */
export function useProposal(): Proposal {
  const [entered, setEntered] = useState<Entered>({ address: '', apiKey: '' })
  const [found, setFound] = useState<Found | null>(null)
  const [choice, setChoice] = useState(NO_CHOICE)
  const look = useAction(async () => {
    setFound(null)
    const proposal = await propose(entered, NO_CHOICE)
    setFound(proposal)
    setChoice({ name: proposal.name, model: proposal.model ?? '', voices: null })
  })
  const chooseModel = useAction(async (model: string) => {
    const chosen = { ...choice, model, voices: null }
    setChoice(chosen)
    setFound(await propose(entered, chosen))
  })
  return {
    ...entered,
    ...{ found, choice, look, chooseModel },
    write: async () => {
      const proposal = await propose(entered, choice)
      if (proposal.source === null) throw new Error('Name the model and at least one voice first.')
      return { ...proposal, source: proposal.source }
    },
    enter: (change) => {
      // The proposal belongs to the address that the operator has just changed.
      if (change.address !== undefined) setFound(null)
      setEntered({ ...entered, ...change })
      look.reset()
    },
    choose: (change) => setChoice({ ...choice, ...change }),
  }
}
