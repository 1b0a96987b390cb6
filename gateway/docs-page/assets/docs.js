/* global SwaggerUIBundle */

/**
 * Copies a value, and replaces each reference by the part of the document that the reference names. The copy keeps the
 * reference in `$$ref`, which the page needs.
 */
const withReferencesInlined = (value, document, within = []) => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withReferencesInlined(item, document, within));
  const { $ref } = value;
  if (typeof $ref !== 'string')
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withReferencesInlined(item, document, within)]),
    );
  if (within.includes($ref)) return value; // this type contains itself
  const named = $ref
    .slice('#/'.length)
    .split('/')
    .reduce((part, key) => part[key], document);
  return { ...withReferencesInlined(named, document, [...within, $ref]), $$ref: $ref };
};

/**
 * Replaces a function of Swagger UI. The original reads the whole document with all its types each time an operation is
 * opened, which takes seconds.
 */
const resolveSubtree = async (document, path) => ({
  spec: withReferencesInlined(
    path.reduce((part, key) => part?.[key], document),
    document,
  ),
  errors: [],
});

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // The page sends requests only to the gateway that serves it.
  validatorUrl: null,
  plugins: [{ fn: { resolveSubtree } }],
});

// Swagger UI has dark colours, but does not choose them by itself. The page switches them on.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyColours);
applyColours();
