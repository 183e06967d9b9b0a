import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  type Operation as DocumentedOperation,
  OpenAPIBackend,
  OpenAPIRouter,
  OpenAPIValidator,
  type ParsedRequest,
  type Request,
} from 'openapi-backend'
import { invalidRequest } from '../src/errors/service-error.ts'
import { API_ROOT, type Document, requestsOf } from './document.ts'
import { detailsOf } from './validation-details.ts'

export type { DocumentedOperation }

/** A request as fastify has routed and parsed it, its query typed as the document says. */
export type RoutedRequest = ParsedRequest

/** The document's operations, and requests held against them. */
export interface RequestValidator {
  /** With what they inherit from their path and from the document: parameters and security. */
  readonly operations: readonly DocumentedOperation[]
  /** Holds parameters, headers and body against the operation's schemas. @throws INVALID_REQUEST with details */
  validate(request: RoutedRequest, operation: DocumentedOperation): void
}

// Formats are annotations here: what a webhook_url may be is for the verb to say, through every door.
const AJV_OPTIONS = { strict: false, strictNumbers: true, allErrors: true, validateFormats: false }

/**
 * openapi-backend reads the document and validates every request against it. Routes are fastify's, made from the same operations: 401,
 * 403, 404, 405 and 413 are decided there before a body is read, and openapi-backend would build its routes anew for every request,
 * three times over.
 */
export async function openValidator(document: Document): Promise<RequestValidator> {
  // Quick: routes are compiled when first used, and the document's own validity, of which the library knows 3.0 only, is left to a test.
  const options = { definition: requestsOf(document), apiRoot: API_ROOT, strict: true, quick: true, validate: false }
  const { definition } = await new OpenAPIBackend(options).init()
  const router = new ParsedByFastify({ definition, apiRoot: API_ROOT })
  const validator = new OpenAPIValidator({
    definition,
    router,
    lazyCompileValidators: true,
    ajvOpts: AJV_OPTIONS,
    // Queries come typed: coercion would take 1e1 for 10. To check the schemas themselves takes half a second: a test does.
    customizeAjv: (_ajv, given) => new Ajv2020({ ...given, coerceTypes: false, meta: false, validateSchema: false }),
  })
  return {
    operations: router.getOperations(),
    validate: (request, operation) => {
      const { errors } = validator.validateRequest(request, operation)
      if (errors) throw invalidRequest('Invalid request: see `details`.', detailsOf(errors))
    },
  }
}

/** Takes requests as they are: to parse them again would undo the types of their queries. */
class ParsedByFastify extends OpenAPIRouter {
  override parseRequest(request: Request): ParsedRequest {
    return request as RoutedRequest
  }
}
