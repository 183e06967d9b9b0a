import { isOwner } from '../api/session.ts'
import { useAddress } from '../parts/use-address.ts'
import { EndpointField } from './endpoint-field.tsx'
import { KeyField } from './key-field.tsx'
import { TagField } from './tag-field.tsx'

interface JobFieldsProps {
  readonly hasTag?: boolean
}

/** Chooses the endpoint, for owners the key, and for lists of jobs the tag. */
export function JobFields({ hasTag = false }: JobFieldsProps) {
  const { query } = useAddress()
  return (
    <>
      <EndpointField />
      {isOwner.value && <KeyField />}
      {hasTag && <TagField key={query.tag ?? ''} />}
    </>
  )
}
